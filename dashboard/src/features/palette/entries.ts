/** Something that can be chosen. `note`: what tells it from others of the same name. */
export type Entry = { id: string; label: string; note?: string | undefined; keywords?: string; run: () => void };
export type Section = { label: string; entries: readonly Entry[] };

/** Every word of the text is part of the entry. */
export function matches({ label, note = '', keywords = '' }: Entry, text: string): boolean {
  const searched = `${label} ${note} ${keywords}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
