import { guardNodeVersion } from './node-version-guard.ts'

guardNodeVersion()
