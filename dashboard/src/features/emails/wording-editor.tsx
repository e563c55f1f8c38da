import type { EmailContent, EmailPreview, EmailTemplate, EmailWording } from '@gatebook/sdk/emails';
import { useAction } from '@gatebook/sdk/react/use-action';
import { requiredFault } from '@gatebook/sdk/validation';
import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';
import { editableTexts, isContent, withText } from './texts.ts';
import { WordingPreview } from './wording-preview.tsx';

type Props = {
  template: EmailTemplate;
  /** What was changed and is not saved; null: nothing. */
  edited: EmailWording | null;
  setEdited: (wording: EmailWording | null) => void;
  isReadOnly: boolean;
  preview: (wording: EmailWording) => Promise<EmailPreview>;
  save: (wording: EmailWording) => Promise<void>;
  reset: () => Promise<void>;
};

/** The texts of one kind of mail beside what it looks like. */
export function WordingEditor({ template, edited, setEdited, isReadOnly, preview, save, reset }: Props) {
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [subjectFault, setSubjectFault] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [isResetting, setResetting] = useState(false);
  const stored = useMemo(() => ({ subject: template.subject, content: template.content }), [template]);
  const wording = edited ?? stored;
  const isDirty = !isBroken && JSON.stringify(wording) !== JSON.stringify(stored);
  const action = useAction(async () => {
    await save(wording);
    setEdited(null);
    setSaved(true);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // An empty subject would leave the stored one in place, without a word.
    const fault = requiredFault('a subject')(wording.subject);
    setSubjectFault(fault);
    if (fault === null && isDirty) void action.run();
  };
  const toggleRaw = (): void => {
    setRaw(!isRaw);
    setBroken(false);
  };
  const giveUp = async (): Promise<void> => {
    await reset();
    setEdited(null);
    setRaw(false);
    setBroken(false);
  };
  return (
    <div className={classes.editor}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Subject"
            value={wording.subject}
            error={subjectFault}
            readOnly={isReadOnly}
            onChange={(event) => setEdited({ ...wording, subject: event.currentTarget.value })}
          />
          {isRaw ? (
            <RawContent wording={wording} isReadOnly={isReadOnly} change={setEdited} onBroken={setBroken} />
          ) : (
            editableTexts(wording.content).map((text) => (
              <Textarea
                key={`${text.blockId} ${text.field}`}
                label={text.label}
                value={text.value}
                readOnly={isReadOnly}
                autosize
                minRows={1}
                maxRows={8}
                onChange={(event) =>
                  setEdited({ ...wording, content: withText(wording.content, text, event.currentTarget.value) })
                }
              />
            ))
          )}
          {variables.length > 0 && (
            <Text size="sm" c="dimmed" component="div" className={classes.variables}>
              May be used in any text:{' '}
              {variables.map((name) => (
                <code key={name}>{`{{ ${name} }}`}</code>
              ))}
            </Text>
          )}
          {!isReadOnly && <Switch label="Edit all blocks as JSON" checked={isRaw} onChange={toggleRaw} />}
          {action.error !== undefined && <ErrorNote error={action.error} />}
          <Group>
            {!isReadOnly && <SaveButton isRunning={action.isRunning} isDirty={isDirty} isSaved={isSaved} />}
            {!template.isDefault && (
              <Button variant="default" onClick={() => setResetting(true)}>
                Back to Gatebook’s wording
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <WordingPreview wording={wording} preview={preview} onVariables={setVariables} />
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title="Give up this wording?"
        confirmLabel="Back to Gatebook’s wording"
        onConfirm={giveUp}
      >
        What you wrote for this kind of mail is replaced by what Gatebook says.
      </ConfirmDialog>
    </div>
  );
}

type Raw = {
  wording: EmailWording;
  isReadOnly: boolean;
  change: (wording: EmailWording) => void;
  /** Hears whether the text is something that could be saved. */
  onBroken: (isBroken: boolean) => void;
};

/** For what the fields do not reach: colours, pictures, order. */
function RawContent({ wording, isReadOnly, change, onBroken }: Raw) {
  const [text, setText] = useState(() => JSON.stringify(wording.content, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const edit = (next: string): void => {
    const read = contentOf(next);
    setText(next);
    setFault(typeof read === 'string' ? read : null);
    onBroken(typeof read === 'string');
    if (typeof read !== 'string') change({ ...wording, content: read });
  };
  return (
    <Textarea
      label="Blocks"
      value={text}
      error={fault}
      readOnly={isReadOnly}
      spellCheck={false}
      autosize
      minRows={12}
      maxRows={28}
      classNames={{ input: classes.code ?? '' }}
      onChange={(event) => edit(event.currentTarget.value)}
    />
  );
}

/** @returns what is wrong with the text, where it is no content */
function contentOf(text: string): EmailContent | string {
  try {
    const value: unknown = JSON.parse(text);
    return isContent(value) ? value : 'Every block needs a type and data: { "root": { "type": …, "data": { … } } }';
  } catch {
    return 'This is no JSON yet';
  }
}
