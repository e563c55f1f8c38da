import type { CurrentProject } from '@gatebook/js/core';
import { useEffect, useRef, useState } from 'react';
import type { PlainText } from '../../texts/texts.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { Card, LoadingCard } from '../card.tsx';
import { SignedInCard, SignUpDisabledCard, UnknownErrorCard } from '../cards.tsx';
import { type SignInTab, useHandler, useProductName, useProject, useUser } from '../context.ts';
import { ErrorNote, PageLink, Separator } from '../controls.tsx';
import type { SentCode } from '../email-code-form.tsx';
import { EmailCodeStep } from '../email-code-step.tsx';
import { EmailFirst } from '../email-first.tsx';
import { passkeyText } from '../error-messages.ts';
import { canUsePasskeys, PasskeyButton } from '../passkey-button.tsx';
import { ProviderButtons } from '../provider-buttons.tsx';
import { SignInStages, UntrustedReturnCard } from '../stages.tsx';
import { usePasskeyAutofill } from '../use-passkey-autofill.ts';
import { type RunSignIn, useSignIn } from '../use-sign-in.ts';

type Type = 'sign-in' | 'sign-up';
const titles: Record<Type, PlainText> = { 'sign-in': 'Sign in', 'sign-up': 'Create an account' };

/** The sign-in and sign-up pages (protocol, client §3.2, §3.3). */
export function AuthPage({ type }: { type: Type }) {
  const { t } = useTexts();
  const signIn = useSignIn();
  const project = useProject();
  const user = useUser();
  const title = titles[type];
  if (signIn.stage.at === 'start') {
    if (project.error !== undefined) return <UnknownErrorCard error={project.error} />;
    if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
    if (project.value === undefined || user.value === undefined)
      return <LoadingCard title={t(title)} label={t('Loading')} />;
    if (user.value !== null) return <AlreadySignedIn type={type} />;
    if (type === 'sign-up' && !project.value.config.signUpEnabled) return <SignUpDisabledCard />;
  }
  return (
    <SignInStages signIn={signIn} title={t(title)}>
      {project.value && <Start type={type} config={project.value.config} runSignIn={signIn.runSignIn} />}
    </SignInStages>
  );
}

function AlreadySignedIn({ type }: { type: Type }) {
  const { automaticRedirect } = useHandler();
  return automaticRedirect ? <LeaveSignedIn type={type} /> : <SignedInCard />;
}

/** Redirects to the return target; shows a card if redirects are off. */
function LeaveSignedIn({ type }: { type: Type }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const [state, setState] = useState<'redirecting' | 'done' | 'untrusted-return'>('redirecting');
  useEffect(() => {
    let isShown = true;
    app.redirects.to(type === 'sign-in' ? 'afterSignIn' : 'afterSignUp', { replace: true }).then(
      () => isShown && setState('done'),
      () => isShown && setState('untrusted-return'),
    );
    return () => {
      isShown = false;
    };
  }, [app, type]);
  if (state === 'untrusted-return') return <UntrustedReturnCard />;
  if (state === 'done') return <SignedInCard />;
  return <LoadingCard title={t(titles[type])} label={t('Signed in. Redirecting.')} />;
}

type StartProps = { type: Type; config: CurrentProject['config']; runSignIn: RunSignIn };

function Start({ type, config, runSignIn }: StartProps) {
  const texts = useTexts();
  const { t } = texts;
  const { extraInfo, isPage } = useHandler();
  const product = useProductName();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<SentCode | null>(null);
  const forms = useRef<HTMLDivElement>(null);
  const methods: SignInTab[] = [
    ...(config.magicLinkEnabled ? ['magic-link' as const] : []),
    ...(config.credentialEnabled ? ['password' as const] : []),
  ];
  const hasPasskey = type === 'sign-in' && config.passkeyEnabled && canUsePasskeys();
  // Before the next hook, for which a focus is somebody's use of the page.
  useEffect(() => {
    // On a phone the keyboard would cover the other sign-in methods.
    if (isPage && matchMedia('(pointer: fine)').matches) forms.current?.querySelector('input')?.focus();
  }, [isPage]);
  const autofillError = usePasskeyAutofill({
    isOn: hasPasskey && methods.length > 0 && sent === null,
    runSignIn,
    forms,
  });
  if (sent) {
    return <EmailCodeStep sent={sent} onSentAgain={setSent} runSignIn={runSignIn} onCancel={() => setSent(null)} />;
  }
  const providers = config.oauthProviders;
  const hasButtons = hasPasskey || providers.length > 0;
  return (
    <Card
      title={t(titles[type])}
      lead={product && (type === 'sign-in' ? t('to {product}', { product }) : t('for {product}', { product }))}
      foot={<SwitchPageLink type={type} />}
    >
      {providers.length > 0 && <ProviderButtons providers={providers} type={type} />}
      {hasPasskey && <PasskeyButton runSignIn={runSignIn} />}
      {hasButtons && methods.length > 0 && <Separator>{t('or')}</Separator>}
      {autofillError !== undefined && <ErrorNote>{passkeyText(texts, autofillError)}</ErrorNote>}
      {methods.length > 0 && (
        <div ref={forms}>
          <EmailFirst {...{ type, methods, email, runSignIn }} onEmail={setEmail} onSent={setSent} />
        </div>
      )}
      {!hasButtons && methods.length === 0 && <p className="gbh-text">{t('No sign-in method is enabled.')}</p>}
      <LegalLinks />
      {extraInfo && <div className="gbh-extra">{extraInfo}</div>}
    </Card>
  );
}

function LegalLinks() {
  const { t } = useTexts();
  const { termsUrl, privacyUrl } = useHandler();
  const links = [
    ...(termsUrl ? [{ href: termsUrl, label: t('Terms of service') }] : []),
    ...(privacyUrl ? [{ href: privacyUrl, label: t('Privacy policy') }] : []),
  ];
  if (links.length === 0) return null;
  return (
    <p className="gbh-legal">
      {links.map(({ href, label }) => (
        <a key={label} className="gbh-link" href={href}>
          {label}
        </a>
      ))}
    </p>
  );
}

function SwitchPageLink({ type }: { type: Type }) {
  const { t, rich } = useTexts();
  const { value } = useProject();
  if (type === 'sign-up') {
    return <>{rich('Already have an account? {link}', { link: <PageLink to="signIn">{t('Sign in')}</PageLink> })}</>;
  }
  if (!value?.config.signUpEnabled) return null;
  return <>{rich("Don't have an account? {link}", { link: <PageLink to="signUp">{t('Sign up')}</PageLink> })}</>;
}
