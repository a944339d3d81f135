import { z } from 'zod'

/** The content security policy forbids `new Function`; zod would try it and be reported. Import it first. */
z.config({ jitless: true })
