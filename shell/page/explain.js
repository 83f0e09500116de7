// The page of `explain --html` and `graph --html`: a drawing, and a table of the nodes.
'use strict';
const rows=[...document.querySelectorAll('tbody tr')],filter=document.querySelector('#rows');
const drawing=new GraphDrawing(document.querySelector('#graph'),dataSource(data),{select:name=>{
  for(const row of rows)row.classList.toggle('on',!!name&&row.cells[0].textContent===name);
}});
if(filter)filter.oninput=()=>rows.forEach(row=>{row.hidden=!row.textContent.includes(filter.value)});
document.querySelector('tbody')?.addEventListener('click',e=>{
  const row=e.target.closest('tr');
  if(row)drawing.show(row.cells[0].textContent.replace(/^▸ /,''));
});
document.querySelector('.timeline')?.addEventListener('click',e=>{
  const name=e.target.dataset&&e.target.dataset.name;
  if(name)drawing.show(name);
});
