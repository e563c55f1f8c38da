import { type EnabledProvider, providerName } from '@gatebook/js/core';
import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { providerErrorText } from '../provider-buttons.tsx';
import { ProviderIcon } from '../provider-icon.tsx';
import { useRestoreCount } from '../use-restore-count.ts';
import { useAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { Row, Section } from './section.tsx';

/** The user's accounts at OAuth providers. Linking another one redirects to the provider and back. */
export function ConnectedAccounts() {
  const { t } = useTexts();
  const { user, project } = useAccount();
  const returns = useRestoreCount();
  const linked = new Set(user.oauthProviders.map(({ id }) => id));
  const free = project.config.oauthProviders.filter(({ id }) => !linked.has(id));
  if (linked.size === 0 && free.length === 0) return null;
  return (
    <Section title={t('Connected accounts')} lead={t('Accounts you can sign in with.')}>
      {linked.size > 0 && (
        <ul className="gbh-rows">
          {user.oauthProviders.map(({ id, accountId, email }) => (
            <Row
              key={`${id} ${accountId}`}
              icon={<ProviderIcon id={id} />}
              title={providerName(id, project.config.oauthProviders)}
              small={email ?? t('Account {id}', { id: accountId })}
            />
          ))}
        </ul>
      )}
      {free.length > 0 && <LinkButtons key={returns} providers={free} />}
    </Section>
  );
}

function LinkButtons({ providers }: { providers: readonly EnabledProvider[] }) {
  const texts = useTexts();
  const { app } = useHandler();
  const [chosen, setChosen] = useState<string | null>(null);
  const link = useAction((provider: string) => {
    setChosen(provider);
    return app.oauth.linkWithOAuth(provider);
  });
  return (
    <>
      <ActionError error={link.error} textOf={(error) => providerErrorText(texts, error, chosen, providers)} />
      <div className="gbh-links">
        {providers.map(({ id }) => (
          <Button
            key={id}
            tone="plain"
            onClick={() => void link.run(id)}
            isBusy={link.isRunning && chosen === id}
            isDisabled={link.isRunning}
          >
            {!(link.isRunning && chosen === id) && <ProviderIcon id={id} />}
            {texts.t('Link {provider}', { provider: providerName(id, providers) })}
          </Button>
        ))}
      </div>
    </>
  );
}
