import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Translation } from './texts.ts';
import { TextContext } from './use-texts.ts';

type TextProviderProps = {
  lang?: string | undefined;
  overrides?: Partial<Translation> | undefined;
  children: ReactNode;
};

export function TextProvider({ lang, overrides, children }: TextProviderProps) {
  const unknown = useUnknownText(overrides);
  const settings = useMemo(() => ({ lang, overrides }), [lang, overrides]);
  if (unknown !== undefined) throw new Error(`No component has the text “${unknown}” of translationOverrides.`);
  return <TextContext.Provider value={settings}>{children}</TextContext.Provider>;
}

/** The first of these texts that no component has. The list of texts is loaded on demand. */
function useUnknownText(overrides: Partial<Translation> = {}): string | undefined {
  const [unknown, setUnknown] = useState<string>();
  const given = Object.keys(overrides).join('\n');
  useEffect(() => {
    let isCurrent = true;
    if (given === '') return;
    import('./texts.ts').then(
      ({ texts }) => {
        const known = new Set<string>(texts);
        if (isCurrent) setUnknown(given.split('\n').find((text) => !known.has(text)));
      },
      () => undefined, // Without the list, nothing is checked.
    );
    return () => {
      isCurrent = false;
    };
  }, [given]);
  return unknown;
}
