/**
 * Number of generated cases that `npm run soak -- walls` plays: `TSUGI_CASES`, or twenty thousand. 0 in a usual run.
 * `TSUGI_SEED` generates other cases.
 *
 * Three fifths are command lines, a fourth are folders, the rest are texts for a model.
 */
export const wallsSoak = process.env.TSUGI_SOAK === undefined ? 0 : Number(process.env.TSUGI_CASES ?? 20_000)
