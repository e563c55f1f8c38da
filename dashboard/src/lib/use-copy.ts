import { t } from '@lingui/core/macro';
import { useRef, useState } from 'react';

const FEEDBACK_MS = 2_000;

/**
 * Copies a text. Without clipboard access (plain HTTP), the text of the element at `ref` is selected instead.
 * `feedback`: what happened, for a moment.
 */
export function useCopy(value: string) {
  const [feedback, setFeedback] = useState<string | null>(null);
  const ref = useRef<HTMLElement & HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    setFeedback((await writeClipboard(value)) ? t`Copied` : t`Selected. Press Ctrl+C to copy.`);
    if (ref.current && !navigator.clipboard) getSelection()?.selectAllChildren(ref.current);
    setTimeout(() => setFeedback(null), FEEDBACK_MS);
  };
  return { ref, feedback, copy };
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
