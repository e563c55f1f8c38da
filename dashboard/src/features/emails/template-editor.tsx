import { callOfTemplate, type EmailsClient, type EmailTemplate } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Switch, Text } from '@mantine/core';
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
import { LookForm, SourceOnlyNote } from './look-form.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { TestTemplate } from './template-test.tsx';

/** The source is text, so that one that is no valid JSON yet is kept too. */
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

type Props = {
  template: EmailTemplate;
  /** The templates of the other types. */
  others: readonly EmailTemplate[];
  emails: EmailsClient;
  refresh: () => Promise<void>;
};

/** Edits a template as blocks or as source, next to its preview. */
export function TemplateEditor({ template, others, emails, refresh }: Props) {
  const { type } = template;
  const [variables, setVariables] = useState<readonly string[]>([]);
  const saved = useMemo(() => ({ subject: template.subject, source: sourceOf(template.content) }), [template]);
  const draft = useDraft<Values>(saved, fields);
  const { subject, source } = draft.values;
  const input = useMemo(() => {
    const content = parseSource(source);
    return content && subject.trim() !== '' ? { subject, content } : null;
  }, [subject, source]);
  return (
    <>
      <div className={classes.editor}>
        <Writing>
          <Stack gap="md">
            <Card>
              <Stack gap="sm">
                <DraftText draft={draft} name="subject" />
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
            </Card>
            <Content draft={draft} others={others} updateTemplate={emails.updateTemplate} refresh={refresh} />
          </Stack>
        </Writing>
        <div className={classes.side}>
          <TestTemplate draft={input} send={(given) => emails.testTemplate(type, given)} />
          <TemplatePreview draft={input} preview={(given) => emails.preview(type, given)} onVariables={setVariables} />
        </div>
      </div>
      <Writing>
        <SaveBar
          draft={draft}
          calls={input ? [callOfTemplate(type, input)] : []}
          save={async () => {
            if (input) await emails.updateTemplate(type, input);
            await refresh();
          }}
        />
      </Writing>
    </>
  );
}

type ContentProps = Pick<Props, 'others' | 'refresh'> & {
  draft: Draft<Values>;
  updateTemplate: EmailsClient['updateTemplate'];
};

/** The blocks and the look, or the source, which is also shown for a template that is no tree of blocks. */
function Content({ draft, others, updateTemplate, refresh }: ContentProps) {
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
          <LookForm
            content={content}
            change={change}
            others={others}
            updateTemplate={updateTemplate}
            refresh={refresh}
          />
        </Card>
      )}
    </>
  );
}
