import type { UrlName } from '@gatebook/js/core';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { Button, PageLink } from './controls.tsx';

export type CardAction = { label: string } & (
  | { onPress: () => void; isBusy?: boolean }
  | { to: UrlName; noRedirectBack?: boolean; returnsHere?: boolean }
);
type MessageCardProps = {
  title: string;
  icon?: ReactNode;
  tone?: 'plain' | 'good' | 'bad';
  children?: ReactNode;
  primary?: CardAction;
  secondary?: CardAction;
};

export function MessageCard({ title, icon, tone, children, primary, secondary }: MessageCardProps) {
  return (
    <Card title={title} icon={icon} {...(tone && { tone })} takesFocus>
      {children && <div className="gbh-text">{children}</div>}
      {(primary || secondary) && (
        <div className="gbh-actions">
          {primary && <Action action={primary} look="primary" />}
          {secondary && <Action action={secondary} look="plain" />}
        </div>
      )}
    </Card>
  );
}

function Action({ action, look }: { action: CardAction; look: 'primary' | 'plain' }) {
  if ('to' in action) {
    const { label, ...link } = action;
    return (
      <PageLink {...link} look={look}>
        {label}
      </PageLink>
    );
  }
  return (
    <Button tone={look} onClick={action.onPress} isBusy={action.isBusy ?? false}>
      {action.label}
    </Button>
  );
}
