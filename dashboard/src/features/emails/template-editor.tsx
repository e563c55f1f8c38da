import type { EmailContent, EmailPreview, EmailTemplate, EmailTemplateInput } from '@gatebook/js/admin';
import { requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import classes from './emails.module.css';
import { TemplatePreview } from './template-preview.tsx';
import { editableTexts, isContent, withText } from './texts.ts';

type Props = {
  template: EmailTemplate;
  /** Unsaved changes; null when there are none. */
  edited: EmailTemplateInput | null;
  setEdited: (draft: EmailTemplateInput | null) => void;
  isReadOnly: boolean;
  preview: (draft: EmailTemplateInput) => Promise<EmailPreview>;
  save: (draft: EmailTemplateInput) => Promise<void>;
  reset: () => Promise<void>;
};

/** Edits the texts of one template, next to its preview. */
export function TemplateEditor({ template, edited, setEdited, isReadOnly, preview, save, reset }: Props) {
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [subjectError, setSubjectError] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const [isInvalid, setInvalid] = useState(false);
  const [isResetting, setResetting] = useState(false);
  const stored = useMemo(() => ({ subject: template.subject, content: template.content }), [template]);
  const draft = edited ?? stored;
  const isDirty = !isInvalid && JSON.stringify(draft) !== JSON.stringify(stored);
  const action = useAction(async () => {
    await save(draft);
    setEdited(null);
    setSaved(true);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The server would silently keep the stored subject when this one is empty.
    const error = requiredFault('a subject')(draft.subject);
    setSubjectError(error);
    if (error === null && isDirty) void action.run();
  };
  const toggleRaw = (): void => {
    setRaw(!isRaw);
    setInvalid(false);
  };
  const resetToDefault = async (): Promise<void> => {
    await reset();
    setEdited(null);
    setRaw(false);
    setInvalid(false);
  };
  return (
    <div className={classes.editor}>
      <Writing>
        <form onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              label="Subject"
              value={draft.subject}
              error={subjectError}
              readOnly={isReadOnly}
              onChange={(event) => setEdited({ ...draft, subject: event.currentTarget.value })}
            />
            {isRaw ? (
              <RawContent draft={draft} isReadOnly={isReadOnly} change={setEdited} onInvalidChange={setInvalid} />
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
                Available variables:{' '}
                {variables.map((name) => (
                  <code key={name}>{`{{ ${name} }}`}</code>
                ))}
              </Text>
            )}
            {!isReadOnly && <Switch label="Edit as JSON" checked={isRaw} onChange={toggleRaw} />}
            {action.error !== undefined && <ErrorNote error={action.error} />}
            <Group>
              {!isReadOnly && <SaveButton isRunning={action.isRunning} isDirty={isDirty} isSaved={isSaved} />}
              {!template.isDefault && (
                <Button variant="default" onClick={() => setResetting(true)}>
                  Reset template
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Writing>
      <TemplatePreview draft={draft} preview={preview} onVariables={setVariables} />
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title="Reset this template?"
        confirmLabel="Reset template"
        call={{ method: 'DELETE', path: `/email-templates/${template.type}` }}
        onConfirm={resetToDefault}
      >
        Your changes are replaced by the default template.
      </ConfirmDialog>
    </div>
  );
}

type Raw = {
  draft: EmailTemplateInput;
  isReadOnly: boolean;
  change: (draft: EmailTemplateInput) => void;
  /** Called with whether the JSON cannot be saved. */
  onInvalidChange: (isInvalid: boolean) => void;
};

/** Edits the whole content as JSON: colors, images, order of blocks. */
function RawContent({ draft, isReadOnly, change, onInvalidChange }: Raw) {
  const [text, setText] = useState(() => JSON.stringify(draft.content, null, 2));
  const [error, setError] = useState<string | null>(null);
  const edit = (next: string): void => {
    const parsed = parseContent(next);
    setText(next);
    setError(typeof parsed === 'string' ? parsed : null);
    onInvalidChange(typeof parsed === 'string');
    if (typeof parsed !== 'string') change({ ...draft, content: parsed });
  };
  return (
    <Textarea
      label="Blocks"
      value={text}
      error={error}
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

/** @returns the content, or an error message when the text is not valid content */
function parseContent(text: string): EmailContent | string {
  try {
    const value: unknown = JSON.parse(text);
    return isContent(value) ? value : 'Each block needs a type and data: { "root": { "type": …, "data": { … } } }';
  } catch {
    return 'Enter valid JSON';
  }
}
