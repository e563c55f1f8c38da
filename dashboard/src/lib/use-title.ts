import { useEffect } from 'react';

/** Sets the page's title, most particular part first; parts that are not known yet are left out. */
export function useTitle(...parts: (string | null | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Gatebook'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
