import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.{ts,tsx}',
      'electron/**/*.test.ts',
      'scripts/**/*.test.ts',
      'tests/{contract,architecture,integration}/**/*.test.ts',
    ],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
  },
})
