/** A check of a form: `message` if the text is blank. */
export const required =
  (message: string) =>
  (text: string): string | null =>
    text.trim() === '' ? message : null;
