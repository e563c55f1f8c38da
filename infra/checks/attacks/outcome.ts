/** @throws Error with what the attacker got, unless the defense held */
export function mustHold(hasHeld: boolean, otherwise: string): void {
  if (!hasHeld) throw new Error(otherwise);
}

/** @throws Error unless the answer is a rejection, and not a failure of the server */
export function mustReject({ status, text }: { status: number; text: string }, what: string): void {
  if (status < 400 || status >= 500) throw new Error(`${what}: ${status} ${text.slice(0, 120)}`);
}
