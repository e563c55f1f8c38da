/** Languages of the sentences that the API says about a project: those of the dashboard (docs/decisions/0133). */
export const textLanguages = ['en', 'de'] as const;
export type TextLanguage = (typeof textLanguages)[number];

/** A text or a table of texts, once in each language. */
export type InEachLanguage<Texts> = Readonly<Record<TextLanguage, Texts>>;
