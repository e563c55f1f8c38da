import type { UrlName } from '@gatebook/js/core';
import {
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useHandler } from './context.ts';
import { AlertIcon, EyeIcon, EyeOffIcon } from './icons.tsx';

type ButtonProps = {
  children: ReactNode;
  tone?: 'primary' | 'plain' | 'quiet';
  type?: 'button' | 'submit';
  /** Shows a spinner and ignores clicks. */
  isBusy?: boolean;
  isDisabled?: boolean;
  /** Accessible name, if the visible text is too short. */
  label?: string;
  onClick?: () => void;
};

export function Button({
  children,
  tone = 'primary',
  type = 'button',
  isBusy = false,
  isDisabled = false,
  label,
  onClick,
}: ButtonProps) {
  // The attribute `disabled` would lose the focus.
  const isOff = isBusy || isDisabled;
  const press = (event: MouseEvent) => {
    if (isOff) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={type}
      className="gbh-button"
      data-tone={tone}
      aria-disabled={isOff}
      aria-busy={isBusy}
      aria-label={label}
      onClick={press}
    >
      {isBusy && <span className="gbh-spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

type PageLinkProps = {
  to: UrlName;
  look?: 'text' | 'primary' | 'plain';
  noRedirectBack?: boolean;
  /** Returns to the current page after sign-in; not for links between the sign-in pages. */
  returnsHere?: boolean;
  children: ReactNode;
};

/** A link to an entry of the URL table that keeps the return target. */
export function PageLink({ to, look = 'text', noRedirectBack = false, returnsHere = false, children }: PageLinkProps) {
  const { app } = useHandler();
  const way = { noRedirectBack, returnsHere };
  const follow = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain) return;
    event.preventDefault();
    void app.redirects.to(to, way);
  };
  return (
    <a
      href={app.redirects.target(to, way)}
      className={look === 'text' ? 'gbh-link' : 'gbh-button'}
      data-tone={look}
      onClick={follow}
    >
      {children}
    </a>
  );
}

type FieldProps = Pick<
  ComponentProps<'input'>,
  'type' | 'name' | 'autoComplete' | 'inputMode' | 'autoFocus' | 'onKeyDown' | 'onKeyUp' | 'onBlur'
> & {
  label: string;
  value: string;
  onChange: (value: string) => void;
  fault?: string | null;
  hint?: ReactNode;
  /** Shown next to the label. */
  aside?: ReactNode;
  inputRef?: Ref<HTMLInputElement>;
  /** Shown inside the field, at its end. */
  inner?: ReactNode;
};

export function TextField({ label, value, onChange, fault = null, hint, aside, inputRef, inner, ...rest }: FieldProps) {
  const id = useId();
  const describedBy = [...(hint ? [`${id}-hint`] : []), ...(fault ? [`${id}-fault`] : [])].join(' ');
  return (
    <div className="gbh-field">
      <div className="gbh-field-head">
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      <div className="gbh-input-row">
        <input
          {...rest}
          id={id}
          ref={inputRef}
          className="gbh-input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          aria-invalid={fault !== null}
          aria-describedby={describedBy || undefined}
          spellCheck={false}
          autoCapitalize="none"
        />
        {inner}
      </div>
      {hint && (
        <p className="gbh-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p className="gbh-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

export function PasswordField(props: Omit<FieldProps, 'type' | 'inner'>) {
  const { t } = useTexts();
  const [isShown, setShown] = useState(false);
  const [isCapsLock, setCapsLock] = useState(false);
  const readCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));
  const label = isShown ? t('Hide password') : t('Show password');
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      onKeyDown={readCapsLock}
      onKeyUp={readCapsLock}
      onBlur={() => setCapsLock(false)}
      inner={
        <>
          <span className="gbh-caps-lock" role="status">
            {isCapsLock && t('Caps Lock is on')}
          </span>
          <button
            type="button"
            className="gbh-reveal"
            aria-label={label}
            title={label}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOffIcon size={18} /> : <EyeIcon size={18} />}
          </button>
        </>
      }
    />
  );
}

/** An error of a whole form. */
export function ErrorNote({ children }: { children: ReactNode }) {
  return (
    <div className="gbh-note" role="alert">
      <AlertIcon size={18} />
      <div>{children}</div>
    </div>
  );
}

export function Separator({ children }: { children: ReactNode }) {
  return <div className="gbh-separator">{children}</div>;
}
