import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { crockfordBase32 as digits, randomBase32 } from '@gatebook/runtime/ids';

/** The numbers of windows repeat after almost ten years. */
const windowDigits = 4;
const windows = digits.length ** windowDigits;

/**
 * 16 characters of base32 (protocol, conventions §7). Four say in which window of five minutes the request began, so
 * that the window of a rejected request is found although the request was not kept; 60 bits are random.
 */
export function newRequestId(atMillis: number): string {
  let number = Math.floor(atMillis / windowMs) % windows;
  let text = '';
  for (let nth = 0; nth < windowDigits; nth += 1) {
    text = `${digits.charAt(number % digits.length)}${text}`;
    number = Math.floor(number / digits.length);
  }
  return text + randomBase32(12);
}

/** The latest window up to a time in which a request with this ID can have begun, in milliseconds. */
export function windowOfRequest(requestId: string, atMillis: number): number {
  const number = [...requestId.slice(0, windowDigits)].reduce(
    (sum, digit) => sum * digits.length + digits.indexOf(digit),
    0,
  );
  const current = Math.floor(atMillis / windowMs);
  return (current - ((((current - number) % windows) + windows) % windows)) * windowMs;
}
