import { errorText } from '@gatebook/js/error-text';
import { type ReactNode, useId } from 'react';
import type { Resource } from '../../use-resource.ts';
import { Button, ErrorNote } from '../controls.tsx';

type SectionProps = { title: string; lead?: ReactNode; children: ReactNode };

/** One matter of the account. */
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
  /** What is loading, for who can't see it. */
  label: string;
  empty: ReactNode;
  children: (item: Item) => ReactNode;
};

/** A list in its four states; what is there stays while it is fetched again, also when that fails. */
export function Rows<Item>({ list: { value, error, isFetching, refresh }, label, empty, children }: RowsProps<Item>) {
  return (
    <>
      {error !== undefined && (
        <ErrorNote>
          <p>{errorText(error)}</p>
          <Button tone="quiet" onClick={() => void refresh()} isBusy={isFetching}>
            Try again
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

/** One line of a list; `children` are what can be done with it. */
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

/** Said once something is done, and read out. */
export function Done({ children }: { children: ReactNode }) {
  return (
    <p className="gbh-done" role="status">
      {children}
    </p>
  );
}
