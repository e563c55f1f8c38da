import { useId, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Avatar, type AvatarUser } from '../avatar.tsx';
import { Button } from '../controls.tsx';
import { ActionError } from './action-error.tsx';
import { type LoadedImage, loadImage, toJpeg } from './image.ts';
import { Section } from './section.tsx';

type ProfileImageProps = {
  title: string;
  /** Whose picture it is. */
  shown: AvatarUser;
  save: (profileImageUrl: string | null) => Promise<void>;
};

/** Chooses, crops and removes a picture. */
export function ProfileImage({ title, shown, save: store }: ProfileImageProps) {
  const { t } = useTexts();
  const [chosen, setChosen] = useState<LoadedImage | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const choose = useAction(async (given: File) => setChosen(await loadImage(given)));
  const save = useAction(async (profileImageUrl: string | null) => {
    await store(profileImageUrl);
    setChosen(null);
  });
  const error = choose.error ?? save.error;
  return (
    <Section title={title}>
      <ActionError error={error} />
      {chosen ? (
        <Crop
          image={chosen}
          isBusy={save.isRunning}
          onSave={(url) => void save.run(url)}
          onCancel={() => setChosen(null)}
        />
      ) : (
        <div className="gbh-row-actions">
          <Avatar user={shown} />
          <Button tone="plain" onClick={() => file.current?.click()} isBusy={choose.isRunning}>
            {t('Choose picture')}
          </Button>
          {shown.profileImageUrl && (
            <Button tone="quiet" onClick={() => void save.run(null)} isBusy={save.isRunning}>
              {t('Remove picture')}
            </Button>
          )}
        </div>
      )}
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        aria-label={title}
        onChange={({ currentTarget }) => {
          const [given] = currentTarget.files ?? [];
          if (given) void choose.run(given);
          currentTarget.value = '';
        }}
      />
    </Section>
  );
}

type CropProps = { image: LoadedImage; isBusy: boolean; onSave: (url: string) => void; onCancel: () => void };

/** Shows the center of the image in a circle, with up to threefold zoom. */
function Crop({ image, isBusy, onSave, onCancel }: CropProps) {
  const { t } = useTexts();
  const [zoom, setZoom] = useState(1);
  const id = useId();
  return (
    <div className="gbh-form">
      <span className="gbh-avatar gbh-crop" aria-hidden="true">
        <img src={image.url} alt="" style={{ scale: zoom }} />
      </span>
      <div className="gbh-field">
        <label htmlFor={id}>{t('Zoom')}</label>
        <input
          id={id}
          type="range"
          min={1}
          max={3}
          step={0.1}
          value={zoom}
          onChange={({ currentTarget }) => setZoom(Number(currentTarget.value))}
        />
      </div>
      <div className="gbh-row-actions">
        <Button onClick={() => onSave(toJpeg(image, zoom))} isBusy={isBusy}>
          {t('Save picture')}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  );
}
