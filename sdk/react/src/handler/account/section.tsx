import { type ReactNode, useId } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import type { Resource } from '../../use-resource.ts';
import { Button, ErrorNote } from '../controls.tsx';

type SectionProps = { title: string; lead?: ReactNode; children: ReactNode };

export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section className="gbh-section" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {lead && <p className="gbh-text">{lead}</p>}
      {children}
    </section>
  );
}

type RowsProps<Item> = {
  list: Pick<Resource<readonly Item[]>, 'value' | 'error' | 'isFetching' | 'refresh'>;
  /** Announced to screen readers while loading. */
  label: string;
  empty: ReactNode;
  children: (item: Item) => ReactNode;
};

/** A list with its loading, error and empty states. Loaded items stay visible during a refresh, even if it fails. */
export function Rows<Item>({ list: { value, error, isFetching, refresh }, label, empty, children }: RowsProps<Item>) {
  const { t, errorText } = useTexts();
  return (
    <>
      {error !== undefined && (
        <ErrorNote>
          <p>{errorText(error)}</p>
          <Button tone="quiet" onClick={() => void refresh()} isBusy={isFetching}>
            {t('Try again')}
          </Button>
        </ErrorNote>
      )}
      {value === undefined && error === undefined && (
        <div className="gbh-bones" role="status" aria-label={label}>
          <i />
        </div>
      )}
      {value?.length === 0 && <p className="gbh-text">{empty}</p>}
      {value && value.length > 0 && <ul className="gbh-rows">{value.map(children)}</ul>}
    </>
  );
}

type RowProps = {
  icon?: ReactNode;
  title: ReactNode;
  badges?: readonly string[];
  small?: ReactNode;
  children?: ReactNode;
};

/** One item of a list; `children` are its actions. */
export function Row({ icon, title, badges = [], small, children }: RowProps) {
  return (
    <li>
      {icon}
      <div className="gbh-row-text">
        <span>
          {title}{' '}
          {badges.map((badge) => (
            <span key={badge} className="gbh-tag">
              {badge}
            </span>
          ))}
        </span>
        {small && <small>{small}</small>}
      </div>
      {children && <div className="gbh-row-actions">{children}</div>}
    </li>
  );
}

/** Announced to screen readers. */
export function SuccessNote({ children }: { children: ReactNode }) {
  return (
    <p className="gbh-done" role="status">
      {children}
    </p>
  );
}
