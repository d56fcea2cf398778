{smcl}
{title:linefit}

{pstd}{cmd:linefit} does what the notes say.
