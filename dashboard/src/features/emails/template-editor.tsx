import {
  callOfTemplate,
  callOfTemplateVersion,
  type EmailLanguage,
  type EmailsClient,
  type EmailTemplateInput,
  type EmailType,
} from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { DraftText } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Draft, type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { required } from '../../lib/required.ts';
import { Blocks } from './block-list.tsx';
import { describeEdit, parseSource, readTree, sourceOf } from './content-tree.ts';
import classes from './emails.module.css';
import { contentFault } from './look.ts';
import { LookForm, type OtherVersion, SourceOnlyNote } from './look-form.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { TestTemplate } from './template-test.tsx';

/** The source is text, so that it is kept even while it is not valid JSON. */
type Values = { subject: string; source: string };

const fields: Fields<Values> = {
  // The server would keep the stored subject when this one is empty.
  subject: { label: t`Subject`, fault: required(t`Enter a subject`) },
  source: { label: t`Blocks`, describe: describeSources, fault: sourceFault },
};

function describeSources(saved: string, edited: string): string {
  const [before, after] = [parseSource(saved), parseSource(edited)];
  return before && after ? describeEdit(before, after) : t`source is not valid yet`;
}

function sourceFault(source: string): string | null {
  const content = parseSource(source);
  if (content) return contentFault(content);
  return t`Enter valid JSON in which each block has a type and data: { "root": { "type": …, "data": { … } } }`;
}

/** A version of a template: for a language or, with null, the default version. `builtIn`: Gatebook’s text in it. */
export type EditedVersion = EmailTemplateInput & {
  type: EmailType;
  language: EmailLanguage | null;
  isEdited: boolean;
  builtIn: EmailTemplateInput | null;
};

type Props = {
  version: EditedVersion;
  /** The default version of this type. */
  byDefault: EmailTemplateInput;
  others: readonly OtherVersion[];
  /** What saving takes from readers, in words. */
  replaced: string | null;
  emails: EmailsClient;
  refresh: () => Promise<void>;
};

/** Edits a template as blocks or as source, next to its preview. */
export function TemplateEditor({ version, byDefault, others, replaced, emails, refresh }: Props) {
  const { type, language, builtIn } = version;
  const [variables, setVariables] = useState<readonly string[]>([]);
  const saved = useMemo(() => toValues(version), [version]);
  const draft = useDraft<Values>(saved, fields);
  const { subject, source } = draft.values;
  const input = useMemo(() => {
    const content = parseSource(source);
    return content && subject.trim() !== '' ? { subject, content } : null;
  }, [subject, source]);
  const copy = (from: EmailTemplateInput): void => {
    const values = toValues(from);
    draft.set('subject', values.subject);
    draft.set('source', values.source);
  };
  return (
    <>
      <div className={classes.editor}>
        <Writing>
          <Stack gap="md">
            <Card>
              <Stack gap="sm">
                {replaced && <Text size="sm">{replaced}</Text>}
                {builtIn && (
                  <Group gap="xs">
                    <Button variant="default" size="compact-sm" onClick={() => copy(byDefault)}>
                      <Trans>Copy default version</Trans>
                    </Button>
                    <Button variant="default" size="compact-sm" onClick={() => copy(builtIn)}>
                      <Trans>Copy built-in text</Trans>
                    </Button>
                  </Group>
                )}
                <DraftText draft={draft} name="subject" />
              </Stack>
            </Card>
            <Content draft={draft} others={others} emails={emails} refresh={refresh} />
            {variables.length > 0 && (
              <Text size="sm" c="dimmed" component="div" className={classes.variables}>
                <Trans>
                  Available variables:{' '}
                  {variables.map((name) => (
                    <code key={name}>{`{{ ${name} }}`}</code>
                  ))}
                </Trans>
              </Text>
            )}
          </Stack>
        </Writing>
        <div className={classes.side}>
          <TestTemplate draft={input} send={(given) => emails.testTemplate(type, given, language)} />
          <TemplatePreview
            draft={input}
            preview={(given) => emails.preview(type, given, language)}
            onVariables={setVariables}
          />
        </div>
      </div>
      <Writing>
        <SaveBar
          draft={draft}
          calls={input ? [callOf(version, input)] : []}
          save={async () => {
            if (input) await saveVersion(emails, version, input);
            await refresh();
          }}
        />
      </Writing>
    </>
  );
}

const toValues = ({ subject, content }: EmailTemplateInput): Values => ({ subject, source: sourceOf(content) });

const callOf = ({ type, language }: EditedVersion, input: EmailTemplateInput) =>
  language === null ? callOfTemplate(type, input) : callOfTemplateVersion(type, language, input);

const saveVersion = (emails: EmailsClient, { type, language }: EditedVersion, input: EmailTemplateInput) =>
  language === null ? emails.updateTemplate(type, input) : emails.updateTemplateVersion(type, language, input);

type ContentProps = Pick<Props, 'others' | 'emails' | 'refresh'> & { draft: Draft<Values> };

/** The blocks and the look, or the source, which is also shown for a template that is not a tree of blocks. */
function Content({ draft, others, emails, refresh }: ContentProps) {
  const [isSource, setSource] = useState(false);
  const { source } = draft.values;
  const content = useMemo(() => parseSource(source), [source]);
  const tree = useMemo(() => content && readTree(content), [content]);
  const change = (next: NonNullable<typeof content>) => draft.set('source', sourceOf(next));
  const fault = draft.faultOf('source');
  return (
    <>
      <Card title={t`Content`} labelId="content-title">
        <Stack gap="sm">
          {content && tree && !isSource ? (
            <Blocks content={content} tree={tree} change={change} />
          ) : (
            <>
              {content && !tree && <SourceOnlyNote />}
              <DraftText draft={draft} name="source" kind="code" />
            </>
          )}
          {fault !== null && !isSource && (
            <Text size="sm" c="red" role="alert">
              {fault}
            </Text>
          )}
          <Switch label={t`Edit as JSON`} checked={isSource} onChange={() => setSource(!isSource)} />
        </Stack>
      </Card>
      {content && tree && !isSource && (
        <Card title={t`Logo, colors and font`} labelId="look-title">
          <LookForm content={content} change={change} others={others} emails={emails} refresh={refresh} />
        </Card>
      )}
    </>
  );
}
