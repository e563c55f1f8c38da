import {
  type AuditClient,
  callOfVersionReset,
  type EmailLanguage,
  type EmailsClient,
  type EmailTemplate,
  type EmailType,
  type TemplateText,
  type TemplateVersion,
} from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { BlockLoading, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { editableEmailTypes, emailTypeNames } from './email-types.ts';
import { languageNames } from './languages.ts';
import type { OtherVersion } from './look-form.tsx';
import { type EditedVersion, TemplateEditor } from './template-editor.tsx';
import { describeReaders, describeReplaced, VersionSelect } from './version-select.tsx';

type Props = {
  emails: EmailsClient;
  audit: AuditClient;
  projectId: string;
  projectName: string | undefined;
  /** The version that is edited; null: the default version. */
  language: EmailLanguage | null;
};

const isEditable = (type: string): type is EmailType => (editableEmailTypes as readonly string[]).includes(type);

/** The template of one type of email. */
export function TemplatePage({ type, ...props }: Props & { type: string }) {
  if (isEditable(type)) return <Known {...props} type={type} />;
  return (
    <Page title={t`Template not found`} back={backOf(props.projectId)}>
      <EmptyNote title={t`There is no such template`}>
        <Trans>Choose one on the page Emails.</Trans>
      </EmptyNote>
    </Page>
  );
}

const backOf = (projectId: string) => ({ href: `/projects/${projectId}/emails`, label: t`Emails` });

type Loaded = { versions: readonly EditedVersion[]; texts: readonly TemplateText[] };

/** All default versions, the version that is edited, and which texts are sent. */
function useVersions(
  emails: EmailsClient,
  projectId: string,
  { type, language }: { type: EmailType; language: EmailLanguage | null },
): Resource<Loaded> {
  const templates = useResource(['email-templates', projectId], emails.listTemplates);
  const texts = useResource(['email-template-texts', projectId], emails.listTemplateTexts);
  const version = useResource(
    ['email-template-version', projectId, type, language],
    async () => language && emails.getTemplateVersion(type, language),
  );
  const all = [templates, texts, version];
  const value = useMemo(
    () =>
      templates.value && texts.value && version.value !== undefined
        ? { versions: toVersions(templates.value, version.value), texts: texts.value }
        : undefined,
    [templates.value, texts.value, version.value],
  );
  return {
    value,
    error: all.find(({ error }) => error !== undefined)?.error,
    isFetching: all.some(({ isFetching }) => isFetching),
    refresh: async () => {
      await Promise.all(all.map(({ refresh }) => refresh()));
    },
  };
}

function toVersions(templates: readonly EmailTemplate[], version: TemplateVersion | null): EditedVersion[] {
  const defaults = templates.map(({ isDefault, ...template }): EditedVersion => {
    return { ...template, language: null, isEdited: !isDefault, builtIn: null };
  });
  if (version === null) return defaults;
  const { source, ...rest } = version;
  return [...defaults, { ...rest, isEdited: source === 'version' }];
}

function Known({ emails, audit, projectId, projectName, type, language }: Props & { type: EmailType }) {
  const name = emailTypeNames[type];
  useTitle(name, t`Emails`, projectName);
  const loaded = useVersions(emails, projectId, { type, language });
  const [isResetting, setResetting] = useState(false);
  const find = (wanted: EmailLanguage | null) =>
    loaded.value?.versions.find((each) => each.type === type && each.language === wanted);
  const [version, byDefault] = [find(language), find(null)];
  const texts = loaded.value?.texts.filter((text) => text.type === type) ?? [];
  const readers = { language, isDefaultEdited: byDefault?.isEdited ?? false, texts };
  return (
    <Page
      title={name}
      lead={version && describeReaders(readers)}
      back={backOf(projectId)}
      tools={
        <>
          <VersionSelect projectId={projectId} type={type} {...readers} />
          <HistoryButton
            audit={audit}
            projectId={projectId}
            name={language === null ? name : `${name} (${languageNames[language]})`}
            filters={{ targetType: 'email_template', targetId: language === null ? type : `${type}.${language}` }}
          />
        </>
      }
      actions={
        version?.isEdited && (
          <Button variant="default" onClick={() => setResetting(true)}>
            {language === null ? t`Reset template` : t`Reset ${languageNames[language]}`}
          </Button>
        )
      }
    >
      <Loading loaded={loaded}>
        {(all) =>
          version &&
          byDefault && (
            <TemplateEditor
              key={`${type} ${language}`}
              version={version}
              byDefault={byDefault}
              others={listOthers(all, version)}
              replaced={describeReplaced(readers)}
              emails={emails}
              refresh={loaded.refresh}
            />
          )
        }
      </Loading>
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        title={language === null ? t`Reset this template?` : t`Reset the version in ${languageNames[language]}?`}
        confirmLabel={language === null ? t`Reset template` : t`Reset ${languageNames[language]}`}
        call={
          language === null
            ? { method: 'DELETE', path: `/email-templates/${type}` }
            : callOfVersionReset(type, language)
        }
        onConfirm={async () => {
          await (language === null ? emails.resetTemplate(type) : emails.resetTemplateVersion(type, language));
          await loaded.refresh();
        }}
      >
        {describeReset(readers)}
      </ConfirmDialog>
    </Page>
  );
}

/** All edited versions but this one, and the default versions that are not edited. */
function listOthers({ versions, texts }: Loaded, { type, language }: EditedVersion): OtherVersion[] {
  const isThis = (other: Pick<OtherVersion, 'type' | 'language'>) => other.type === type && other.language === language;
  const defaults = versions.filter((version) => version.language === null);
  return [
    ...defaults.map((version) => ({ ...version, saved: version })),
    ...texts.filter(({ source }) => source === 'version').map((text) => ({ ...text, isEdited: true })),
  ].filter((other) => !isThis(other));
}

function describeReset({ language, isDefaultEdited }: Parameters<typeof describeReaders>[0]): string {
  if (language === null) return t`The saved changes are replaced by the default template. Versions in a language stay.`;
  const next = isDefaultEdited ? t`the default version` : t`the built-in text in their language`;
  return t`The saved changes are removed. Readers of ${languageNames[language]} get ${next}.`;
}

type LoadingProps = { loaded: Resource<Loaded>; children: (loaded: Loaded) => React.ReactNode };

function Loading({ loaded: { value, error, refresh, isFetching }, children }: LoadingProps) {
  return (
    <>
      {error !== undefined && (
        <ErrorNote
          title={t`The template could not be loaded`}
          error={error}
          onRetry={refresh}
          isRetrying={isFetching}
        />
      )}
      {value ? children(value) : error === undefined && <BlockLoading height={480} label={t`Loading template`} />}
    </>
  );
}
