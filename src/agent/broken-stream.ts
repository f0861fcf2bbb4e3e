/** The error of a stream that stopped without a reason for its end: nothing of it may be believed. */
export function brokenStream(): Error {
  return new Error('The reply of the model broke off in the middle. Send the request again.');
}
