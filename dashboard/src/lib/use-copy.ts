import { useRef, useState } from 'react';

const FEEDBACK_MS = 2_000;

/**
 * Copies a text. Without clipboard access (plain HTTP), the text of the element at `ref` is selected instead.
 * `outcome`: what happened, for a moment.
 */
export function useCopy(value: string) {
  const [outcome, setOutcome] = useState<'copied' | 'selected' | null>(null);
  const ref = useRef<HTMLElement & HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    setOutcome((await writeClipboard(value)) ? 'copied' : 'selected');
    if (ref.current && !navigator.clipboard) getSelection()?.selectAllChildren(ref.current);
    setTimeout(() => setOutcome(null), FEEDBACK_MS);
  };
  return { ref, outcome, copy };
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
