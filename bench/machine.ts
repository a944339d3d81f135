import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** The machine as far as figures depend on it. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.replace(/\s+/g, ' ') ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const [load = 0] = loadavg()
  const busy = `load ${load.toFixed(1)} at the start`
  const day = new Date().toISOString().slice(0, 10)
  const system = `${process.platform} ${process.arch}`
  return `${availableParallelism()} cores of ${model}, ${memory}, ${system}, Node ${process.versions.node}, ${busy}, ${day}`
}
