import classes from './operations-page.module.css';

/** Share of the log that has been processed. */
export function Progress({ label, position, head }: { label: string; position: bigint; head: bigint }) {
  return (
    <progress
      className={classes.progress}
      aria-label={label}
      max={Math.max(1, Number(head))}
      value={Number(position)}
    />
  );
}
