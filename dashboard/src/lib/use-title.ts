import { useEffect } from 'react';

/** Sets the document title, most specific part first. Parts that are not loaded yet are skipped. */
export function useTitle(...parts: (string | null | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Gatebook'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
