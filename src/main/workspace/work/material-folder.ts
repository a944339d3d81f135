const materialFolder =
  /^(materials?|notes?|memos?|settings?|characters?|plots?|research|drafts?|資料|設定|メモ|ノート|プロット|人物|登場人物|没|下書き)$/i

/** Returns whether a folder of this name holds material about the work and no chapters. */
export function isMaterialFolder(name: string): boolean {
  return materialFolder.test(name)
}
