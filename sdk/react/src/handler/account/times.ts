export const timeText = (at: Date, lang: string): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
export const dayText = (at: Date, lang: string): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }).format(at);
