import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Translation } from './texts.ts';
import { TextContext } from './use-texts.ts';

type TextProviderProps = {
  lang?: string | undefined;
  overrides?: Partial<Translation> | undefined;
  /** Whether overrides of unknown texts are logged, instead of thrown. */
  allowsUnknown?: boolean | undefined;
  children: ReactNode;
};

export function TextProvider({ lang, overrides, allowsUnknown = false, children }: TextProviderProps) {
  const unknown = useUnknownText(overrides);
  const settings = useMemo(() => ({ lang, overrides }), [lang, overrides]);
  const fault = unknown === undefined ? null : `No component has the text “${unknown}” of translationOverrides.`;
  useEffect(() => {
    if (fault !== null && allowsUnknown) console.warn(fault);
  }, [fault, allowsUnknown]);
  if (fault !== null && !allowsUnknown) throw new Error(fault);
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
