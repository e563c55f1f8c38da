import type { EmailPreview, EmailTemplate, EmailWording } from '@gatebook/sdk/emails';
import { useAction } from '@gatebook/sdk/react/use-action';
import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';
import { editableTexts, withText } from './texts.ts';
import { WordingPreview } from './wording-preview.tsx';

type Props = {
  template: EmailTemplate;
  isReadOnly: boolean;
  preview: (wording: EmailWording) => Promise<EmailPreview>;
  save: (wording: EmailWording) => Promise<void>;
  reset: () => Promise<void>;
};

/** The texts of one kind of mail beside what it looks like. */
export function WordingEditor({ template, isReadOnly, preview, save, reset }: Props) {
  const [wording, setWording] = useState<EmailWording>({ subject: template.subject, content: template.content });
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [isSaved, setSaved] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const [isResetting, setResetting] = useState(false);
  const isDirty = wording.subject !== template.subject || wording.content !== template.content;
  const action = useAction(async () => {
    await save(wording);
    setSaved(true);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void action.run();
  };
  return (
    <div className={classes.editor}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Subject"
            value={wording.subject}
            readOnly={isReadOnly}
            onChange={(event) => setWording({ ...wording, subject: event.currentTarget.value })}
          />
          {isRaw ? (
            <RawContent wording={wording} isReadOnly={isReadOnly} change={setWording} />
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
                  setWording({ ...wording, content: withText(wording.content, text, event.currentTarget.value) })
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
          {!isReadOnly && <Switch label="Edit all blocks as JSON" checked={isRaw} onChange={() => setRaw(!isRaw)} />}
          {action.error !== undefined && <ErrorNote error={action.error} />}
          {!isReadOnly && (
            <Group>
              <SaveButton isRunning={action.isRunning} isDirty={isDirty} isSaved={isSaved} />
              {!template.isDefault && (
                <Button variant="default" onClick={() => setResetting(true)}>
                  Back to Gatebook’s wording
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
      <WordingPreview wording={wording} preview={preview} onVariables={setVariables} />
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title="Give up this wording?"
        confirmLabel="Back to Gatebook’s wording"
        onConfirm={reset}
      >
        What you wrote for this kind of mail is replaced by what Gatebook says.
      </ConfirmDialog>
    </div>
  );
}

type Raw = { wording: EmailWording; isReadOnly: boolean; change: (wording: EmailWording) => void };

/** For what the fields do not reach: colours, pictures, order. */
function RawContent({ wording, isReadOnly, change }: Raw) {
  const [text, setText] = useState(() => JSON.stringify(wording.content, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const edit = (next: string): void => {
    setText(next);
    try {
      change({ ...wording, content: JSON.parse(next) });
      setFault(null);
    } catch {
      setFault('This is no JSON yet');
    }
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
