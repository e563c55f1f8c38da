const escapeText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Translates texts with values by their English patterns, in which `{}` stands for a value. A value that is a text of
 * its own is translated too. A text without a translation stays as it is.
 */
export function createTranslation(texts: Readonly<Record<string, string>>): (text: string) => string {
  const patterns = Object.entries(texts)
    .filter(([english]) => english.includes('{}'))
    .map(([english, german]) => ({
      form: new RegExp(`^${english.split('{}').map(escapeText).join('(.+?)')}$`, 's'),
      german,
    }));
  const translate = (text: string): string => {
    const exact = texts[text];
    if (exact !== undefined) return exact;
    for (const { form, german } of patterns) {
      const values = form.exec(text)?.slice(1);
      if (values) return german.replaceAll('{}', () => translate(values.shift() ?? ''));
    }
    return text;
  };
  return translate;
}
