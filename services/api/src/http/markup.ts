/** HTML that is already escaped. */
export type Markup = { markup: string };
type Value = string | Markup | readonly Markup[];

/** HTML with every text escaped, for element contents and quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = strings.map((string, nth) => string + (nth < values.length ? write(values[nth] ?? '') : ''));
  return { markup: parts.join('') };
}

/** Marks HTML as already escaped. */
export const raw = (markup: string): Markup => ({ markup });

function write(value: Value): string {
  if (typeof value === 'string') return escaped(value);
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
