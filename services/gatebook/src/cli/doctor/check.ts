/** `note`: worth knowing, but not an error. `advice`: what to do. */
export type Check = { name: string; state: 'ok' | 'note' | 'failed'; finding: string; advice: string | null };

export const ok = (name: string, finding: string): Check => ({ name, state: 'ok', finding, advice: null });
export const note = (name: string, finding: string, advice: string | null = null): Check => ({
  name,
  state: 'note',
  finding,
  advice,
});
export const failed = (name: string, finding: string, advice: string): Check => ({
  name,
  state: 'failed',
  finding,
  advice,
});
export const messageOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
};
