/** Limits of passwords that are chosen (client.md §15); the server decides in the end. */
export const passwordLength = { min: 8, max: 70 } as const;

/** Sign-in e-mail as conventions.md §5 has it: a dot in the domain, no stray dots before the @. */
export function emailFault(email: string): string | null {
  const [local = '', domain = '', ...rest] = email.trim().split('@');
  const isFine =
    rest.length === 0 && /^[^\s.]+(\.[^\s.]+)*$/.test(local) && /^[^\s.@]+(\.[^\s.@]+)*\.[^\s.@\d]{2,}$/.test(domain);
  return isFine ? null : 'Enter a whole e-mail address, like ann@example.com';
}

export function newPasswordFault(password: string): string | null {
  if (password.length < passwordLength.min) return `Use at least ${passwordLength.min} characters`;
  return password.length > passwordLength.max ? `Use at most ${passwordLength.max} characters` : null;
}

export function requiredFault(what: string): (text: string) => string | null {
  return (text) => (text.trim() === '' ? `Enter ${what}` : null);
}
