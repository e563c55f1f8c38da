export type TextValues = Readonly<Record<string, string | number>>;
/** Returns the text in another language, with values in the place of `{name}`. */
export type Translate = (text: string, values?: TextValues) => string;

export const fillText: Translate = (text, values = {}) =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
