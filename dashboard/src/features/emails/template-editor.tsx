import type { EmailContent, EmailPreview, EmailTemplate, EmailTemplateInput } from '@gatebook/js/emails';
import { requiredFault } from '@gatebook/js/validation';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';
import { TemplatePreview } from './template-preview.tsx';
import { editableTexts, isContent, withText } from './texts.ts';

type Props = {
  template: EmailTemplate;
  /** What was changed and is not saved; null: nothing. */
  edited: EmailTemplateInput | null;
  setEdited: (draft: EmailTemplateInput | null) => void;
  isReadOnly: boolean;
  preview: (draft: EmailTemplateInput) => Promise<EmailPreview>;
  save: (draft: EmailTemplateInput) => Promise<void>;
  reset: () => Promise<void>;
};

/** The texts of one kind of mail beside what it looks like. */
export function TemplateEditor({ template, edited, setEdited, isReadOnly, preview, save, reset }: Props) {
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [subjectFault, setSubjectFault] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [isResetting, setResetting] = useState(false);
  const stored = useMemo(() => ({ subject: template.subject, content: template.content }), [template]);
  const draft = edited ?? stored;
  const isDirty = !isBroken && JSON.stringify(draft) !== JSON.stringify(stored);
  const action = useAction(async () => {
    await save(draft);
    setEdited(null);
    setSaved(true);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // An empty subject would leave the stored one in place, without a word.
    const fault = requiredFault('a subject')(draft.subject);
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
            value={draft.subject}
            error={subjectFault}
            readOnly={isReadOnly}
            onChange={(event) => setEdited({ ...draft, subject: event.currentTarget.value })}
          />
          {isRaw ? (
            <RawContent draft={draft} isReadOnly={isReadOnly} change={setEdited} onBroken={setBroken} />
          ) : (
            editableTexts(draft.content).map((text) => (
              <Textarea
                key={`${text.blockId} ${text.field}`}
                label={text.label}
                value={text.value}
                readOnly={isReadOnly}
                autosize
                minRows={1}
                maxRows={8}
                onChange={(event) =>
                  setEdited({ ...draft, content: withText(draft.content, text, event.currentTarget.value) })
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
                Reset to default
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <TemplatePreview draft={draft} preview={preview} onVariables={setVariables} />
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title="Reset this template?"
        confirmLabel="Reset to default"
        onConfirm={giveUp}
      >
        What you wrote for this kind of mail is replaced by what Gatebook says.
      </ConfirmDialog>
    </div>
  );
}

type Raw = {
  draft: EmailTemplateInput;
  isReadOnly: boolean;
  change: (draft: EmailTemplateInput) => void;
  /** Hears whether the text is something that could be saved. */
  onBroken: (isBroken: boolean) => void;
};

/** For what the fields do not reach: colours, pictures, order. */
function RawContent({ draft, isReadOnly, change, onBroken }: Raw) {
  const [text, setText] = useState(() => JSON.stringify(draft.content, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const edit = (next: string): void => {
    const read = contentOf(next);
    setText(next);
    setFault(typeof read === 'string' ? read : null);
    onBroken(typeof read === 'string');
    if (typeof read !== 'string') change({ ...draft, content: read });
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
