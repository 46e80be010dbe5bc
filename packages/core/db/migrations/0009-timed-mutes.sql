-- A mute may end by itself: when it does is data, and no job has to end it.
alter table thread_bots
  add column muted_until timestamptz,
  -- Head of the thread when the bot was muted last. What it was owed up to there is void, whether or not a decision came by
  -- meanwhile to say so: else a debt would come back to life with nobody awake to serve it.
  add column muted_at bigint not null default 0;

-- As before, and with the end of each mute. When a mute runs out the text changes, as with every other change: a decision that was
-- made just before is stale, and is made again.
create or replace function director_roster(p_thread text) returns json language plpgsql stable as $$
begin
  return (select json_build_object(
    'thread', json_build_object(
      'banter', t.banter, 'hops', t.hops, 'directorModel', h.director_model,
      'limitPerBot', coalesce(t.limit_per_bot, h.limit_per_bot),
      'limitPerThread', coalesce(t.limit_per_thread, h.limit_per_thread)),
    'people', coalesce((
      select json_agg(json_build_object('id', m.id, 'name', m.name, 'handle', m.handle) order by m.id)
        from thread_people p join members m on m.house_id = p.house_id and m.id = p.member_id
        where p.house_id = t.house_id and p.thread_id = t.id and m.removed_at is null), '[]'),
    'bots', coalesce((
      select json_agg(json_build_object(
          'id', a.id, 'name', a.name, 'handle', a.handle, 'description', a.description,
          'muted', b.muted and coalesce(b.muted_until > clock_timestamp(), true), 'mutedAt', b.muted_at,
          'mutedUntil', to_char(b.muted_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'external', a.external, 'model', a.model, 'tools', '[]'::json,
          'mode', coalesce(b.trigger_mode, a.trigger_mode, h.default_trigger_mode)
        ) order by b.added_at, a.id)
        from thread_bots b join agents a on a.house_id = b.house_id and a.id = b.bot_id
        where b.house_id = t.house_id and b.thread_id = t.id and a.kind = 'bot' and a.removed_at is null), '[]'))
    from threads t join houses h on h.id = t.house_id
    where t.id = p_thread);
end
$$;
