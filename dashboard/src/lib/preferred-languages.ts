const storageKey = 'gatebook-language';

/** Language tags, the preferred one first: what the person chose in this browser, then those of the browser. */
export function preferredLanguages(): readonly string[] {
  const chosen = localStorage.getItem(storageKey);
  return [...(chosen ? [chosen] : []), ...navigator.languages];
}

/** Keeps the choice in this browser. */
export const chooseLanguage = (tag: string): void => localStorage.setItem(storageKey, tag);
