import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Button } from '../controls.tsx';
import { ActionError } from './action-error.tsx';

type Props = {
  label: string;
  /** Accessible name, if `label` is ambiguous. */
  name?: string;
  question: ReactNode;
  confirmLabel: string;
  tone?: 'plain' | 'quiet';
  call: () => Promise<unknown>;
};

/** Asks for confirmation before an irreversible action. The focus moves to the question and back. */
export function ConfirmButton({ label, name, question, confirmLabel, tone = 'quiet', call }: Props) {
  const { t } = useTexts();
  const [isAsking, setAsking] = useState(false);
  const hasAsked = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const action = useAction(async () => {
    await call();
    setAsking(false);
  });
  useEffect(() => {
    if (isAsking) hasAsked.current = true;
    if (hasAsked.current) box.current?.querySelector<HTMLElement>(isAsking ? 'p' : 'button')?.focus();
  }, [isAsking]);
  const cancel = () => {
    action.reset();
    setAsking(false);
  };
  return (
    <div ref={box} className="gbh-confirm" data-asking={isAsking}>
      {isAsking ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
        <div role="group" aria-label={name ?? label}>
          <ActionError error={action.error} />
          <p tabIndex={-1}>{question}</p>
          <div className="gbh-row-actions">
            <Button tone="plain" onClick={() => void action.run()} isBusy={action.isRunning}>
              {confirmLabel}
            </Button>
            <Button tone="quiet" onClick={cancel}>
              {t('Cancel')}
            </Button>
          </div>
        </div>
      ) : (
        <Button tone={tone} onClick={() => setAsking(true)} {...(name && { label: name })}>
          {label}
        </Button>
      )}
    </div>
  );
}
