const MIN_PASSWORD = 8;
const MAX_PASSWORD = 70;

/** Sign-in e-mail as conventions.md §5 has it: a dot in the domain, no stray dots before the @. */
export function emailFault(email: string): string | null {
  const [local = '', domain = '', ...rest] = email.trim().split('@');
  const isFine =
    rest.length === 0 && /^[^\s.]+(\.[^\s.]+)*$/.test(local) && /^[^\s.@]+(\.[^\s.@]+)*\.[^\s.@\d]{2,}$/.test(domain);
  return isFine ? null : 'Enter a whole e-mail address, like ann@example.com';
}

export function newPasswordFault(password: string): string | null {
  if (password.length < MIN_PASSWORD) return `Use at least ${MIN_PASSWORD} characters`;
  return password.length > MAX_PASSWORD ? `Use at most ${MAX_PASSWORD} characters` : null;
}

export function requiredFault(what: string): (text: string) => string | null {
  return (text) => (text.trim() === '' ? `Enter ${what}` : null);
}
