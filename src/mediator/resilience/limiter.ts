/** Admits calls up to a rate. Times are monotonic ms given by the caller. */
export interface Limiter {
  /** 0 when the call is admitted (and counted), else the ms to wait. */
  take(now: number): number;
}
