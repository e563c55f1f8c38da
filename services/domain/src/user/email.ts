/**
 * The one rule by which e-mail addresses are compared (protocol README, decision 13): compatibility forms are folded
 * (NFKC), case is dropped in every script. Look-alike letters of different scripts stay different: folding them would let
 * one person's address stand for another's.
 */
export function canonicalEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase().normalize('NFKC');
}
