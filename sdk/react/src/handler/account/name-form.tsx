import { type ReactNode, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Button, TextField } from '../controls.tsx';
import { submitHandler } from '../submit-handler.ts';
import { ActionError } from './action-error.tsx';
import { Section, SuccessNote } from './section.tsx';

type Props = {
  title: string;
  lead?: ReactNode;
  label: string;
  /** The saved name. */
  value: string;
  autoComplete?: string;
  /** Whether an empty name is rejected. */
  isRequired?: boolean;
  submitLabel?: string;
  save: (name: string) => Promise<void>;
};

/** Changes a name. */
export function NameForm({ title, lead, label, value, save, isRequired = false, ...rest }: Props) {
  const { t } = useTexts();
  const { autoComplete = 'off', submitLabel = t('Save') } = rest;
  const [name, setName] = useState(value);
  const [isSaved, setSaved] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const action = useAction(async () => {
    await save(name.trim());
    setSaved(true);
  });
  const type = (text: string) => {
    setName(text);
    setSaved(false);
    setFault(null);
  };
  const submit = () => {
    const isMissing = isRequired && name.trim() === '';
    setFault(isMissing ? t('Enter a name') : null);
    if (isMissing) input.current?.focus();
    else void action.run();
  };
  return (
    <Section title={title} lead={lead}>
      <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
        <ActionError error={action.error} />
        <TextField
          label={label}
          name="name"
          autoComplete={autoComplete}
          value={name}
          onChange={type}
          fault={fault}
          inputRef={input}
        />
        <div className="gbh-row-actions">
          <Button type="submit" isBusy={action.isRunning} isDisabled={value !== '' && name.trim() === value}>
            {submitLabel}
          </Button>
          {isSaved && <SuccessNote>{t('Saved.')}</SuccessNote>}
        </div>
      </form>
    </Section>
  );
}
