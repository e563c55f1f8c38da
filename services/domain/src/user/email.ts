/**
 * The one rule by which e-mail addresses are compared (protocol README, decision 13): compatibility forms are folded
 * (NFKC), case is dropped in every script (both small sigmas are one letter). Look-alike letters of different scripts stay
 * different: folding them would let one person's address stand for another's. Mail goes to the address as its owner gave
 * it, never to another spelling that compares equal.
 */
export function canonicalEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/** null stands for an address that was erased, which is nobody's. */
export const isSameEmail = (one: string | null, other: string): boolean =>
  one !== null && canonicalEmail(one) === canonicalEmail(other);
