/**
 * Continues with a value that may still be a promise; a value that is there at once costs no turn
 * of the microtask queue, which is most of what a mediated call would otherwise spend.
 */
export function after<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
