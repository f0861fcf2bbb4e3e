import type { Stage } from './stage.ts';
import { attemptTimeout } from './stages/attempt-timeout.ts';
import { audit } from './stages/audit.ts';
import { authorize } from './stages/authorize.ts';
import { breaker } from './stages/breaker.ts';
import { check } from './stages/check.ts';
import { clean } from './stages/clean.ts';
import { deadline } from './stages/deadline.ts';
import { fallback } from './stages/fallback.ts';
import { journal } from './stages/journal.ts';
import { rateLimit } from './stages/rate-limit.ts';
import { retry } from './stages/retry.ts';
import { trace } from './stages/trace.ts';
import { validate } from './stages/validate.ts';
import { writeGuard } from './stages/write-guard.ts';

/** What happens around every call, outermost first. */
export const PIPELINE: readonly Stage[] = [
  trace,
  audit,
  deadline,
  clean,
  validate,
  authorize,
  writeGuard,
  check,
  journal,
  fallback,
  rateLimit,
  retry,
  breaker,
  attemptTimeout,
];

/** The part of it that judges parameters, for looking without executing. */
export const VALIDATION: readonly Stage[] = [deadline, clean, validate, check];
