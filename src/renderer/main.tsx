import { contract } from '../shared/contract/index.ts'
import { openConnection } from './api/open-connection.ts'
import { mountWindow } from './mount.tsx'

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
mountWindow(openConnection(contract), nonce || undefined, window.tsugi?.pathOf)
