/**
 * How email addresses are compared (protocol, rule 13): compatibility forms are folded (NFKC) and case is
 * ignored in every script (both lowercase sigmas are one letter). Look-alike letters of different scripts stay
 * different: folding them would let one person pass for another. Emails are sent to the address as its owner entered
 * it, never to another spelling that compares equal.
 */
export function canonicalEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/** null is an erased address, which equals no other. */
export const isSameEmail = (address: string | null, other: string): boolean =>
  address !== null && canonicalEmail(address) === canonicalEmail(other);
