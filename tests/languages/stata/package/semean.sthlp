{smcl}
{title:semean}

{pstd}{cmd:semean} does what the notes say.
