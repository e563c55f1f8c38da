import type { EmailTemplate, TemplateText } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { editableEmailTypes, emailTypeNames } from './email-types.ts';
import classes from './emails.module.css';
import { languagesWith, namesOf } from './languages.ts';

type Props = { projectId: string; templates: readonly EmailTemplate[]; texts: readonly TemplateText[] };

/** The templates, each with a link to its editor. */
export function Templates({ projectId, templates, texts }: Props) {
  const rows = editableEmailTypes.flatMap((type) => templates.filter((template) => template.type === type));
  return (
    <ul className={classes.list}>
      {rows.map((template) => (
        <Row
          key={template.type}
          projectId={projectId}
          template={template}
          texts={texts.filter(({ type }) => type === template.type)}
        />
      ))}
    </ul>
  );
}

type RowProps = { projectId: string; template: EmailTemplate; texts: readonly TemplateText[] };

function Row({ projectId, template: { type, subject, isDefault }, texts }: RowProps) {
  const edited = languagesWith(texts, 'version');
  const isUnchanged = isDefault && edited.length === 0;
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <AppLink href={`/projects/${projectId}/emails/${type}`} className={classes.subject}>
          {emailTypeNames[type]}
        </AppLink>
        <span className={classes.to}>{subject}</span>
        {edited.length > 0 && (
          <span className={classes.to}>
            <Trans>Edited in {namesOf(edited)}</Trans>
          </span>
        )}
      </div>
      <Badge variant={isUnchanged ? 'default' : 'light'} size="sm">
        {isUnchanged ? t`Default` : t`Customized`}
      </Badge>
    </li>
  );
}
